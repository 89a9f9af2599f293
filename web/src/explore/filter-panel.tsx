// The panel of filters, by section. A section requests only the fields that it shows.
import {
  memo,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'

import { useOptions } from '../api/queries'
import type { Facet, Field, Filter } from '../api/types'
import { type Catalogue, OPEN_AT_FIRST, repeatedOf, type Section } from '../fields/catalogue'
import { partsOf, withChoice, withoutPart } from '../filter/model'
import { FilterWords } from '../filter/filter-words'
import { treePieces, wordsOf } from '../filter/tree-words'
import { usePreferences } from '../keys/store'
import { Act, Bone, Check, Field as TextField } from '../ui/controls'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import type { ExploreState } from '../url/explore'
import type { Change } from '../url/use-explore'
import { Asked, FacetView, type OnChoose } from './facet'
import css from './filter-panel.module.css'

const SHOWN_AT_FIRST = 4
const SHOWN_MORE = 40 // a request names what it asks for in its address
const FOUND_MAX = 60

export interface PanelHandle {
  focus: () => void
}

interface Props {
  catalogue: Catalogue
  state: Pick<ExploreState, 'choices' | 'where' | 'onlyVarying'>
  change: Change
  varying: ReadonlySet<string> | undefined
  facets: Record<string, Facet> // that are known
  isSettled: boolean // no request for more of them is running
  isFailed: boolean // the fields that vary could not be loaded
  looked: RefObject<Map<string, string[]>> // by section, what is looked at
  tree: Filter | undefined
  round: number
  onTree: () => void
  ref: Ref<PanelHandle>
}

export const FilterPanel = memo(function FilterPanel({
  catalogue,
  state,
  change,
  varying,
  facets,
  isSettled,
  isFailed,
  looked,
  tree,
  round,
  onTree,
  ref,
}: Props) {
  const [words, setWords] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useImperativeHandle(ref, () => ({
    focus: () => {
      input.current?.focus()
      input.current?.select()
    },
  }))

  // a text, so that an answer with the same fields does not change the layout
  const repeated = repeatedOf((id) => facets[id]).join(' ')
  const sections = useMemo(() => {
    const isShown = (field: Field) => !state.onlyVarying || varying?.has(field.id) || field.id in state.choices
    if (!words.trim()) {
      const others = Object.keys(state.choices)
        .filter((id) => !catalogue.byId.get(id)?.column)
        .map((id) => catalogue.get(id))
      return catalogue.sorted(
        [...catalogue.columns, ...others].filter(
          (field) => isShown(field) && (field.id in state.choices || !repeated.split(' ').includes(field.id)),
        ),
      )
    }
    const found = catalogue.search(words, state.onlyVarying ? catalogue.columns : catalogue.fields).filter(isShown)
    return catalogue.sorted(found.slice(0, FOUND_MAX))
  }, [catalogue, varying, repeated, state.choices, state.onlyVarying, words])
  const shown = sections.reduce((sum, section) => sum + section.fields.length, 0)
  const isSearch = words.trim() !== ''
  const asked = useMemo(() => ({ tree, round }), [tree, round])

  return (
    <aside className={css.panel} aria-label="Filters">
      <div className={css.top} {...oneStop}>
        <TextField
          ref={input}
          label="Search fields by name, alias or unit"
          icon="search"
          shortcut="f"
          type="search"
          placeholder={`Search ${catalogue.columns.length} fields`}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') words ? setWords('') : event.currentTarget.blur()
          }}
        />
        <div className={css.row}>
          <Check isSelected={state.onlyVarying} onChange={(only) => change({ onlyVarying: only })}>
            Only fields that vary
          </Check>
          <span className="n-11 dim" role="status">
            {shown} of {catalogue.columns.length}
          </span>
        </div>
      </div>
      <Conditions catalogue={catalogue} state={state} change={change} onTree={onTree} />
      <Asked value={asked}>
        <div
          role="group"
          aria-label="Fields"
          aria-description="The arrow keys move between controls, Page Up and Page Down between sections."
          {...oneStop}
        >
          {sections.map((section) => (
            <SectionView
              key={`${section.title}${isSearch}`}
              section={section}
              isSearch={isSearch}
              state={state}
              change={change}
              facets={facets}
              isSettled={isSettled}
              looked={looked}
              tree={tree}
              round={round}
            />
          ))}
        </div>
      </Asked>
      {!varying &&
        state.onlyVarying &&
        (isFailed ? <p className={css.empty}>Could not load the fields that vary.</p> : <PanelBones />)}
      {sections.length === 0 && varying && (
        <p className={css.empty}>
          {isSearch ? (
            <>
              No field matches “{words}”{state.onlyVarying ? ' among those that vary. ' : '. '}
            </>
          ) : (
            'No field varies. '
          )}
          {state.onlyVarying && <Act onPress={() => change({ onlyVarying: false })}>Search all fields</Act>}
        </p>
      )}
    </aside>
  )
})

// Conditions that no control below can show. The counts of all controls include them.
function Conditions({ catalogue, state, change, onTree }: Pick<Props, 'catalogue' | 'state' | 'change' | 'onTree'>) {
  const parts = partsOf(state.where)
  if (parts.length === 0) return null
  return (
    <section className={css.conditions} aria-label="Conditions" {...oneStop}>
      <p>{parts.length === 1 ? 'A condition' : 'Conditions'} that only the filter tree can show:</p>
      <ul>
        {parts.map((part, i) => {
          const pieces = treePieces(catalogue, part)
          const words = wordsOf(pieces)
          return (
            <li key={JSON.stringify(part)}>
              <bdi>
                <FilterWords pieces={pieces} />
              </bdi>
              <Act aria-label={`Remove ${words}`} onPress={() => change({ where: withoutPart(state.where, i) })}>
                Remove
              </Act>
            </li>
          )
        })}
      </ul>
      <Act onPress={onTree}>Edit filter tree</Act>
    </section>
  )
}

export const PanelBones = () => (
  <div className={css.bones}>
    {[150, 120, 170, 140, 110].map((width) => (
      <Bone key={width} width={width} />
    ))}
  </div>
)

interface SectionProps extends Omit<Props, 'catalogue' | 'varying' | 'isFailed' | 'onTree' | 'ref'> {
  section: Section
  isSearch: boolean
}

const fieldsWords = (n: number) => `${n} ${n === 1 ? 'field' : 'fields'}`

// Whether the values are counted. For a number with very many values, the first answer says only that it varies.
const isKnown = (facet: Facet | undefined) => facet !== undefined && facet.distinct !== null

function SectionView({
  section,
  isSearch,
  state,
  change,
  facets: known,
  isSettled,
  looked,
  tree,
  round,
}: SectionProps) {
  const openSections = usePreferences((own) => own.openSections)
  const set = usePreferences((own) => own.set)
  const isOpen = isSearch || (openSections[section.title] ?? OPEN_AT_FIRST.includes(section.title))
  const [limit, setLimit] = useState(isSearch ? FOUND_MAX : SHOWN_AT_FIRST)
  const [isPatient, setPatient] = useState(false)
  const onCount = useCallback(() => setPatient(true), [])
  const choices = useRef(state.choices)
  choices.current = state.choices
  const onChange = useCallback(
    (id: string, ...[choice, how]: Parameters<OnChoose>) =>
      change({ choices: withChoice(choices.current, id, choice) }, how),
    [change],
  )
  const active = section.fields.filter((field) => field.id in state.choices)
  const visible = useMemo(
    () => section.fields.filter((field, i) => i < limit || field.id in state.choices),
    [section.fields, limit, state.choices],
  )
  useEffect(() => {
    const { current } = looked
    current.set(section.title, isOpen ? visible.map(({ id }) => id) : [])
    return () => {
      current.delete(section.title)
    }
  }, [looked, section.title, isOpen, visible])
  const lacking = isOpen && isSettled ? visible.filter(({ id }) => !isKnown(known[id])).map(({ id }) => id) : []
  const more = useOptions(tree, round, lacking, isPatient)
  const facetOf = (id: string) => (isKnown(known[id]) ? known[id] : more.data?.options[id])
  const { refetch } = more
  const onRetry = useCallback(() => void refetch(), [refetch])
  const isLate = (id: string) => !isPatient && lacking.includes(id) && more.data?.incomplete?.includes(id)
  const left = section.fields.length - visible.length
  return (
    <details
      className={css.group}
      open={isOpen}
      onToggle={(event) => {
        const open = event.currentTarget.open
        if (!isSearch && open !== isOpen) set({ openSections: { ...openSections, [section.title]: open } })
      }}
    >
      <summary>
        <Icon name="right" />
        {section.title}
        {active.length > 0 && <span className={css.on}>{active.length} active</span>}
        <span className={`n-11 ${css.of ?? ''}`}>{fieldsWords(section.fields.length)}</span>
      </summary>
      {isOpen && (
        <div className={css.body}>
          {visible.map((field) => (
            <FacetView
              key={field.id}
              field={field}
              facet={facetOf(field.id)}
              choice={state.choices[field.id]}
              onCount={isLate(field.id) ? onCount : undefined}
              onRetry={more.isError && lacking.includes(field.id) ? onRetry : undefined}
              onChange={onChange}
            />
          ))}
          {left > 0 && (
            <div className={css.more}>
              <Act onPress={() => setLimit(limit + SHOWN_MORE)}>Show {Math.min(left, SHOWN_MORE)} more fields</Act>
            </div>
          )}
        </div>
      )}
    </details>
  )
}
