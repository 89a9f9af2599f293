// The number of matching experiments, and the active filters.
import { memo, type RefObject, useState } from 'react'
import { Button as AriaButton, Tag, TagGroup, TagList } from 'react-aria-components'

import type { ApplyResponse, PageRequest, Facet, Filter } from '../api/types'
import { type Catalogue, longName, shortName } from '../fields/catalogue'
import { useFilm } from '../film/film'
import { partsOf, withChoice, withoutPart } from '../filter/model'
import { FilterWords } from '../filter/filter-words'
import { type Piece, treePieces, treeWords, wordsOf } from '../filter/tree-words'
import { choiceWords } from '../filter/words'
import { count } from '../format/number'
import { Pin } from '../tray/pin'
import { Badge, Bone, Button, join } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import type { ExploreState } from '../url/explore'
import { isLoopback } from '../url/here'
import type { Change } from '../url/use-explore'
import css from './explore.module.css'
import { Starts } from './starts'

interface Props {
  catalogue: Catalogue
  state: ExploreState // of the last render
  now: RefObject<ExploreState>
  tree: Filter | undefined
  change: Change
  shown: (ApplyResponse & { request: PageRequest }) | undefined
  facets: Record<string, Facet>
  isWaiting: boolean
  round: number
  isTree: boolean // the tree of all of them is open
  onFilters: () => void
  onTree: () => void
  onMissing: () => void
  onExport: () => void
}

interface Chip {
  id: string
  name: string // '': the words say all
  long: string
  words: string
  pieces: Piece[] // of the words
}

const PART = 'part ' // not the id of a field, because ids contain no blank

export const AnswerLine = memo(function AnswerLine({
  catalogue,
  state,
  now,
  tree,
  change,
  shown,
  facets,
  isWaiting,
  round,
  isTree,
  onFilters,
  onTree,
  onMissing,
  onExport,
}: Props) {
  const isFilm = useFilm(({ frame }) => frame !== null) // frames are not announced
  const chips = Object.entries(state.choices).map(([id, choice]): Chip => {
    const field = catalogue.get(id)
    const words = choiceWords(field, choice, facets[id])
    return { id, name: shortName(field), long: longName(field), words, pieces: [{ text: words, isJoint: false }] }
  })
  for (const [i, part] of partsOf(state.where).entries()) {
    const pieces = treePieces(catalogue, part)
    chips.push({ id: PART + String(i), name: '', long: `condition ${i + 1}`, words: wordsOf(pieces), pieces })
  }
  // the count is that of the previous filter while the current one is loading, or after it failed
  const isOld = shown !== undefined && JSON.stringify(shown.request.filter) !== JSON.stringify(tree)
  const remove = (keys: Set<unknown>) => {
    const [id] = [...keys].map(String)
    if (id === undefined) return
    if (id.startsWith(PART)) change({ where: withoutPart(now.current.where, Number(id.slice(PART.length))) })
    else change({ choices: withChoice(now.current.choices, id, undefined) })
  }
  return (
    <div className={css.answer}>
      <p
        className={join(css.count, isOld && css.isOld)}
        role="status"
        aria-live="polite"
        aria-busy={isFilm || undefined}
      >
        {shown && (
          <>
            <b>
              <CountNow usual={shown.count} />
            </b>{' '}
            <span className="mid">of</span> <span className="n">{count(shown.total)}</span>{' '}
            <span className="mid">experiments</span>
          </>
        )}
        {!shown && isWaiting && <Bone width={190} />}
        {isOld && !isWaiting && !isFilm && <span className="mid"> with the previous filter</span>}
        <span className="sr">{isWaiting ? ' loading' : ''}</span>
      </p>
      <span className={css.filtersButton}>
        <Button look="line" onPress={onFilters}>
          <Icon name="filter" />
          Filters {chips.length > 0 && <Badge n={chips.length} of="active" />}
        </Button>
      </span>
      {chips.length === 0 && state.preset === null && shown !== undefined && shown.total > 0 && (
        <Starts round={round} />
      )}
      {chips.length > 0 && (
        <div className={`fades ${css.chips ?? ''}`}>
          <TagGroup aria-label="Active filters" onRemove={remove}>
            <TagList items={chips} className={css.tags ?? ''}>
              {(chip) => (
                <Tag id={chip.id} textValue={`${chip.long} ${chip.words}`} className={css.chip ?? ''}>
                  {chip.name !== '' && <span>{chip.name}</span>}
                  <b className="clip" title={chip.words}>
                    <bdi>
                      <FilterWords pieces={chip.pieces} />
                    </bdi>
                  </b>
                  <AriaButton slot="remove" aria-label={`Remove filter ${chip.long}`}>
                    <Icon name="close" small />
                  </AriaButton>
                </Tag>
              )}
            </TagList>
          </TagGroup>
          <AriaButton
            className={join(controls.button, controls.low)}
            onPress={() => change({ choices: {}, where: undefined })}
          >
            Clear all
          </AriaButton>
        </div>
      )}
      <div className={css.answerEnd} role="toolbar" aria-label="Filter tools" {...oneStop}>
        {tree && shown !== undefined && shown.count > 0 && (
          <span className={css.wide}>
            <Pin look="quiet" words="Pin as a group" side={{ filter: tree }} name={treeWords(catalogue, tree)} />
          </span>
        )}
        <span className={css.wide}>
          <Button aria-expanded={isTree} onPress={onTree}>
            <Icon name="tree" />
            Edit filter tree
          </Button>
        </span>
        <span className={css.wide}>
          <Button aria-haspopup="dialog" isDisabled={!shown?.count} onPress={onMissing}>
            <Icon name="table" />
            Plan runs
          </Button>
        </span>
        <CopyLink />
        <Button aria-haspopup="dialog" isDisabled={!shown?.count} onPress={onExport}>
          <Icon name="upload" />
          <span className={css.phoneSr}>Export</span>
        </Button>
      </div>
    </div>
  )
})

const CountNow = ({ usual }: { usual: number }) => count(useFilm(({ frame }) => frame?.rows.count ?? usual))

const SAID_MS = 3000

function CopyLink() {
  const [done, setDone] = useState(false)
  const isLocal = isLoopback()
  const copy = async () => {
    await navigator.clipboard.writeText(window.location.href)
    setDone(true)
    setTimeout(() => setDone(false), SAID_MS)
  }
  return (
    <span
      title={
        isLocal
          ? `${window.location.host} is this computer. On another one the link needs an SSH tunnel to the same port.`
          : undefined
      }
    >
      <Button onPress={() => void copy()}>
        <Icon name="link" />
        <span aria-live="polite" className={done ? undefined : css.phoneSr}>
          {!done ? 'Copy link' : isLocal ? 'Copied, for this computer' : 'Copied'}
        </span>
      </Button>
    </span>
  )
}
