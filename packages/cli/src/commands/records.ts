import { records, type Entry, type Filter } from '@keepsake/core'
import { asUsage, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { toJsonValue } from '../json-value.ts'
import { formatTime } from '../quantities.ts'
import { escapeJson } from '../safe-text.ts'
import { PAGE, showList, type ListView } from '../show-list.ts'
import { formatTuple, parseTuple } from '../tuple-text.ts'

export interface RecordsOptions {
  filter?: string
  limit?: number
}

/** As much of a value as a table can show; `get` and `--json` show all of it. */
const MAX_VALUE_CHARACTERS = 1000

const view: ListView<Entry<unknown>> = {
  plural: 'records',
  columns: [
    { title: 'KEY', flexible: true },
    { title: 'UPDATED' },
    { title: 'EXPIRES' },
    { title: 'VALUE', flexible: true },
  ],
  cells: (entry) => [
    formatTuple(entry.key),
    formatTime(entry.updatedAtMs),
    entry.expiresAtMs === undefined ? '' : formatTime(entry.expiresAtMs),
    shortValue(entry.value),
  ],
  json: (entry) => ({ ...entry, value: toJsonValue(entry.value) }),
}

/** Lists the records of an owner: those that the owner's agents see, so neither removed nor expired ones. */
export async function run(
  { out, openStore }: Context,
  ownerText: string,
  prefixTexts: readonly string[],
  options: RecordsOptions,
): Promise<void> {
  const owner = parseTuple(ownerText, 'OWNER')
  const prefix = prefixTexts.flatMap((text) => parseTuple(text, 'PREFIX'))
  const filter = options.filter === undefined ? {} : parseFilter(options.filter)
  await using store = await openStore()
  const memories = records<unknown>(store, owner)
  const count = await showList(out, view, options.limit, (limit) =>
    asUsage(() => memories.list(prefix, { filter, limit: Math.min(limit, PAGE) })),
  )
  if (count > 0) return
  const narrowed = prefix.length > 0 || options.filter !== undefined
  out.note(`${formatTuple(owner)} has no ${narrowed ? 'such ' : ''}records.`)
}

function shortValue(value: unknown): string {
  const json = JSON.stringify(toJsonValue(value))
  return escapeJson(json.length > MAX_VALUE_CHARACTERS ? `${json.slice(0, MAX_VALUE_CHARACTERS)}…` : json)
}

function parseFilter(text: string): Filter {
  let filter: unknown
  try {
    filter = JSON.parse(text)
  } catch {
    throw usageError(`--filter is no JSON. Write it like '{"likes":"tea"}', quoted for the shell.`)
  }
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw usageError(`--filter must be a JSON object, such as '{"likes":"tea"}'.`)
  }
  return filter as Filter
}
