import { migrationMark, parseStoreUri, systemClock, walkEntities, walkRows, type RowStore } from '@keepsake/core'
import { storePackages } from '@keepsake/open'
import type { Context } from './context.ts'
import { describeStore } from './describe-store.ts'
import { examineSqliteFile } from './examine-sqlite-file.ts'
import { formatBytes, formatCount, formatTime } from './quantities.ts'
import { rowState } from './row-json.ts'

/** What one check found. */
export interface Finding {
  check: 'node' | 'packages' | 'store' | 'migration' | 'file' | 'content'
  status: 'ok' | 'warn' | 'fail'
  message: string
  /** What to do, where the message does not say it. */
  fix?: string
}

/** A large store is not read to its end. */
const MAX_COUNTED_ROWS = 10_000
const MAX_COUNTED_BYTES = 100_000_000

/** Looks at the runtime, the packages and the store, in this order; stops where the rest cannot be known. */
export async function* examine(context: Context): AsyncGenerator<Finding> {
  yield examineNode()
  yield examinePackages()
  try {
    await using store = await context.openStore()
    await store.verify({ signal: context.signal })
    yield {
      check: 'store',
      status: 'ok',
      message: `${describeStore(context.storeUri)} can be reached and is provisioned`,
    }
    if (parseStoreUri(context.storeUri).kind === 'memory') {
      yield {
        check: 'store',
        status: 'warn',
        message: 'memory:// is new and empty in every process',
        fix: 'Name a store that lasts with --store.',
      }
    }
    yield* examineMigration(store)
    yield* examineSqliteFile(context.storeUri)
    yield await examineContent(store)
  } catch (error) {
    if (context.signal.aborted) throw error
    yield { check: 'store', status: 'fail', message: (error as Error).message }
  }
}

function examineNode(): Finding {
  const message = `Node ${process.versions.node}`
  if (process.getBuiltinModule('node:sqlite') !== undefined) return { check: 'node', status: 'ok', message }
  return {
    check: 'node',
    status: 'warn',
    message: `${message} has no SQLite`,
    fix: 'For SQLite stores use Node 22.16 or newer.',
  }
}

/** A package that is missing is a failure only where the store needs it, which opening the store will say. */
function examinePackages(): Finding {
  const installed = storePackages().filter(({ version }) => version !== undefined)
  if (installed.length === 0) {
    const names = storePackages().map(({ name }) => name)
    return {
      check: 'packages',
      status: 'warn',
      message: 'no package of a store is installed here',
      fix: `Install one: pnpm add ${names.join(' or ')}`,
    }
  }
  const list = installed.map(
    ({ name, version, schemes }) => `${name} ${version} (${schemes.map((s) => `${s}:`).join(' ')})`,
  )
  return { check: 'packages', status: 'ok', message: list.join(', ') }
}

async function* examineMigration(store: RowStore): AsyncGenerator<Finding> {
  const mark = await migrationMark(store)
  if (mark === undefined) return
  const begun = formatTime(mark.startedAtMs)
  yield {
    check: 'migration',
    status: 'warn',
    message: `a migration into this store, begun ${begun}, is not finished: what it has is not complete`,
    fix: 'Do not run on it yet. Stop all who write to the other store, then finish: keepsake migrate FROM TO --final',
  }
}

async function examineContent(store: RowStore): Promise<Finding> {
  const nowMs = systemClock().nowMs()
  const count = { entities: 0, rows: 0, bytes: 0, tombstones: 0, expired: 0 }
  count: for await (const entity of walkEntities(store)) {
    count.entities++
    for await (const row of walkRows(store, entity)) {
      count.rows++
      count.bytes += row.rec.length
      const state = rowState(row, nowMs)
      if (state === 'tombstone') count.tombstones++
      if (state === 'expired') count.expired++
      if (isEnough(count)) break count
    }
  }
  if (count.rows === 0) return { check: 'content', status: 'ok', message: 'nothing is remembered yet' }
  const beginning = isEnough(count) ? 'at least ' : ''
  const parts = [
    formatCount(count.entities, 'entity', 'entities'),
    formatCount(count.rows, 'row'),
    `${formatBytes(count.bytes)} of records`,
  ]
  if (count.tombstones > 0) parts.push(formatCount(count.tombstones, 'tombstone'))
  if (count.expired > 0) parts.push(`${count.expired.toLocaleString('en')} expired`)
  return { check: 'content', status: 'ok', message: beginning + parts.join(', ') }
}

function isEnough({ rows, bytes }: { rows: number; bytes: number }): boolean {
  return rows >= MAX_COUNTED_ROWS || bytes >= MAX_COUNTED_BYTES
}
