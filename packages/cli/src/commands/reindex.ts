import { decodeTuple, encodeTuple, reindexRecords, walkEntities, type RowStore, type SearchIndex } from '@keepsake/core'
import { openSearchIndex } from '@keepsake/open'
import { CliError, toUsageError, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { describeStore } from '../describe-store.ts'
import { formatCount } from '../quantities.ts'
import { formatTuple, parseTuple } from '../tuple-text.ts'

export interface ReindexOptions {
  fields?: string
  table?: string
  empty?: boolean
}

/** Brings the search index in a store's database in line with its records. */
export async function run(
  { out, storeUri, openStore, signal }: Context,
  ownerTexts: readonly string[],
  { fields, table, empty = false }: ReindexOptions,
): Promise<void> {
  const owners = ownerTexts.map((text) => parseTuple(text, 'OWNER'))
  const paths = fields?.split(',').map((path) => path.trim())
  if (paths?.some((path) => path === ''))
    throw usageError('--fields must be paths parted by commas, such as text,title.')
  // Opened first: a file that is not there must not come to be.
  await using store = await openStore()
  await store.verify({ signal })
  await using search = await openIndex(storeUri, table)
  await search.provision({ signal })
  if (empty) {
    if (owners.length > 0) throw usageError('--empty empties all of the index; leave out the owners.')
    await search.reset({ signal })
    if (out.json) await out.record({ store: describeStore(storeUri), status: 'emptied' })
    else await out.line('The index is empty. Applications fill it when they next search.')
    return
  }
  const space = await search.space({ signal })
  if (space !== undefined) {
    throw new CliError(
      'failed',
      `The index holds vectors of ${space.model}, which only the application can make. Run \`keepsake reindex --empty\`: it fills the index when it next searches.`,
    )
  }
  let [people, records] = [0, 0]
  for await (const owner of owners.length > 0 ? owners : ownersOf(store)) {
    out.progress(`reindexing ${formatTuple(owner)}`)
    const index = { search, ...(paths !== undefined && { fields: paths }) }
    const indexed = await reindexRecords(store, owner, { index, signal })
    people++
    records += indexed
    if (out.json) await out.record({ owner, records: indexed })
  }
  out.progress('')
  if (!out.json)
    await out.line(`${formatCount(records, 'record')} of ${formatCount(people, 'owner')} are in the index.`)
}

async function openIndex(uri: string, table: string | undefined): Promise<SearchIndex> {
  try {
    return await openSearchIndex(uri, table === undefined ? {} : { table })
  } catch (error) {
    throw toUsageError(error)
  }
}

async function* ownersOf(store: RowStore): AsyncGenerator<string[]> {
  for await (const entity of walkEntities(store, { prefix: encodeTuple(['owner']) })) yield decodeTuple(entity).slice(1)
}
