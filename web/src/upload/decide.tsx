// A file that conflicts with a stored result: the values that differ, and the choice between the two.
import { useState } from 'react'

import { causeOf } from '../api/client'
import type { ItemDiff, OnKnown, Upload, UploadItem } from '../api/types'
import { useDiff, useJobActions } from '../api/uploads'
import { count } from '../format/number'
import { rawValue } from '../format/value'
import { authorOf, usePreferences } from '../keys/store'
import { Act, Button, Check, join, Note, Progress, Segment } from '../ui/controls'
import { Needs } from '../ui/needs'
import page from '../ui/page.module.css'
import { Nothing } from '../ui/verdict'
import css from './upload.module.css'

const SHOWN = 8
const CHOICES: [OnKnown, string][] = [
  ['skip', 'Skip this file'],
  ['keep', 'Keep both'],
  ['replace', 'Replace stored result'],
]

export function Decide({ job, item }: { job: Upload; item: UploadItem }) {
  const diff = useDiff(job.job_id, item.index)
  return (
    <>
      {diff.data ? (
        <Diff diff={diff.data} />
      ) : diff.error ? (
        <Note kind="warn">
          <b>Could not load the differences.</b> {causeOf(diff.error)}{' '}
          <Act onPress={() => void diff.refetch()}>Retry</Act>
        </Note>
      ) : (
        <Progress on />
      )}
      {item.retryable ? (
        <Choose job={job} item={item} seen={diff.data?.sha256} />
      ) : (
        <p className={css.remark}>The uploaded file is no longer available. To choose, upload it again.</p>
      )}
    </>
  )
}

// seen: the hash of the stored result that is shown above
function Choose({ job, item, seen }: { job: Upload; item: UploadItem; seen: string | undefined }) {
  const { choose } = useJobActions(job.job_id)
  const [choice, setChoice] = useState<OnKnown>(item.choice ?? 'skip')
  const [isForAll, setForAll] = useState(false)
  const of = item.state === 'conflict' ? 'conflict' : 'duplicate'
  const others = job.counts[of] - 1
  const name = item.name ?? `item ${item.index + 1}`
  const author = authorOf(usePreferences())
  const apply = () =>
    choose.mutate(
      isForAll
        ? { choice, of, ...author }
        : { choice, items: [item.index], ...author, ...(seen === undefined ? {} : { expected_sha256: seen }) },
    )
  return (
    <div className={css.choice}>
      <Segment
        label={`Action for ${name}`}
        value={choice}
        onChange={(value) => setChoice(value as OnKnown)}
        options={CHOICES}
      />
      {others > 0 && (
        <Check isSelected={isForAll} onChange={setForAll}>
          Apply to the other {others === 1 ? of : `${count(others)} ${of}s`}
        </Check>
      )}
      {choose.error && (
        <span role="alert" className={css.bad}>
          Could not apply the choice. {causeOf(choose.error)}
        </span>
      )}
      <span className="grow" />
      <Needs role="write" isListed>
        <Button
          look="line"
          aria-label={`Apply to ${name}`}
          {...(choose.isPending && { isDisabled: true })}
          onPress={apply}
        >
          Apply
        </Button>
      </Needs>
    </div>
  )
}

type Value = ItemDiff['differing'][number]['stored']

// 4 and 4.0 differ in the content of a file, but not in value
const isOther = (there: Value, found: Value) =>
  there.state !== found.state || JSON.stringify(there.value) !== JSON.stringify(found.value)

const SIGNIFICANT = 4
const SIGNIFICANT_MAX = 17
const LONG_NUMBER = /(?<![\w.+-])-?\d+\.\d{3,}(?:e[-+]?\d+)?(?![\w.+-])/gi

const shortened = (value: Value, digits: number) =>
  rawValue(value.value).replace(LONG_NUMBER, (number) => String(Number(Number(number).toPrecision(digits))))

// The texts of two values, their numbers with four significant digits, or as many as it takes to see the difference.
export function shortTexts(there: Value, found: Value): [string, string] {
  for (let digits = SIGNIFICANT; digits < SIGNIFICANT_MAX; digits++) {
    const texts: [string, string] = [shortened(there, digits), shortened(found, digits)]
    if (texts[0] !== texts[1]) return texts
  }
  return [rawValue(there.value), rawValue(found.value)]
}

const ValueText = ({ value, text }: { value: Value; text: string }) =>
  value.state === 'value' ? (
    <bdi title={rawValue(value.value)}>{text}</bdi>
  ) : (
    <Nothing of={value.state === 'null' ? null : undefined} />
  )

function Diff({ diff }: { diff: ItemDiff }) {
  const [isWhole, setWhole] = useState(false)
  const { total } = diff
  const differing = diff.differing.filter(({ stored: there, uploaded: found }) => isOther(there, found))
  const alike = diff.differing.length - differing.length
  const differ = total - diff.equal - alike
  const written = alike > 0 && (
    <p className={css.remark}>
      {differ > 0
        ? `${count(alike)} more ${alike === 1 ? 'value differs' : 'values differ'} only in notation (4 and 4.0) and ${alike === 1 ? 'is' : 'are'} not counted.`
        : `${count(alike)} ${alike === 1 ? 'value differs' : 'values differ'} only in notation (4 and 4.0).`}
    </p>
  )
  if (differ === 0)
    return (
      <>
        <p className={css.remark}>All {count(total)} values are equal.</p>
        {written}
      </>
    )
  return (
    <>
      <table className={join(page.rows, css.faults)}>
        <thead>
          <tr>
            <th scope="col">
              {count(differ)} of {count(total)} values {differ === 1 ? 'differs' : 'differ'}
            </th>
            <th scope="col">Stored result{diff.deleted ? ' (deleted)' : ''}</th>
            <th scope="col">This file</th>
          </tr>
        </thead>
        <tbody>
          {(isWhole ? differing : differing.slice(0, SHOWN)).map(
            ({ field, label, unit, pointer, stored: there, uploaded: found }) => {
              const [stored, own] = shortTexts(there, found)
              return (
                <tr key={field}>
                  <td className="n" title={`${label}${unit ? `, ${unit}` : ''}`}>
                    <bdi>{pointer ?? `/${field.replaceAll('.', '/')}`}</bdi>
                  </td>
                  <td className="n" data-label="stored">
                    <ValueText value={there} text={stored} />
                  </td>
                  <td className="n" data-label="this file">
                    <ValueText value={found} text={own} />
                  </td>
                </tr>
              )
            },
          )}
        </tbody>
      </table>
      {written}
      {differing.length > SHOWN && !isWhole && (
        <Act onPress={() => setWhole(true)}>
          Show {differ > differing.length ? `the first ${count(differing.length)}` : `all ${count(differ)}`}
        </Act>
      )}
    </>
  )
}
