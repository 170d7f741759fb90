import type { Table } from '@google-cloud/bigtable'
import { KeepsakeError, describeType } from '@keepsake/core'

interface CommonOptions {
  /** How long one request may take, in milliseconds, before it counts as lost and is sent again. Default 10,000. */
  requestTimeoutMs?: number
  /** How long a call goes on trying while Bigtable cannot be reached, in milliseconds. Default 15,000. */
  retryTimeoutMs?: number
}

/** Where the table is, or a table of your own client, which the store never closes. */
export type BigtableStoreOptions = CommonOptions &
  (
    | {
        project: string
        instance: string
        table: string
        /** The app profile that requests name. It must allow single-row transactions. Default: the instance's own. */
        appProfile?: string
      }
    | { table: Table; project?: never; instance?: never; appProfile?: never }
  )

export interface BigtableSettings {
  /** The names of a table, or the table itself. */
  source: Table | { project: string; instance: string; table: string; appProfile: string | undefined }
  requestTimeoutMs: number
  retryTimeoutMs: number
}

/** Throws `invalid_value` for options that cannot be used. */
export function checkBigtableOptions(options: BigtableStoreOptions): BigtableSettings {
  const { project, instance, table, appProfile, requestTimeoutMs = 10_000, retryTimeoutMs = 15_000 } = options
  checkTime('requestTimeoutMs', requestTimeoutMs)
  checkTime('retryTimeoutMs', retryTimeoutMs)
  if (typeof table !== 'string') {
    checkTable(table)
    if (project !== undefined || instance !== undefined || appProfile !== undefined) {
      throw invalid('a ready table brings its own project, instance and app profile; give either it or their names.')
    }
    return { source: table, requestTimeoutMs, retryTimeoutMs }
  }
  checkName('project', project)
  checkName('instance', instance)
  checkName('table', table)
  if (appProfile !== undefined) checkName('appProfile', appProfile)
  return { source: { project, instance, table, appProfile }, requestTimeoutMs, retryTimeoutMs }
}

/** By what it can do and not by its class, which a table from another copy of the client does not have. */
function checkTable(table: unknown): asserts table is Table {
  const candidate = table as Partial<Table> | null | undefined
  if (typeof candidate?.name === 'string' && typeof candidate.bigtable?.request === 'function') return
  throw invalid(`table must be a name, or a Table of @google-cloud/bigtable; it is ${describeType(table)}.`)
}

/** Names become parts of paths, so what would lead elsewhere is refused here; Bigtable checks the rest. */
function checkName(what: string, name: unknown): asserts name is string {
  if (typeof name === 'string' && /^[\w.:-]{1,100}$/.test(name)) return
  throw invalid(`${what} must be 1 to 100 letters, digits and _ - . : .`)
}

function checkTime(name: string, ms: unknown): void {
  if (Number.isSafeInteger(ms) && (ms as number) >= 1) return
  throw invalid(`${name} must be a whole number of milliseconds from 1.`)
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `bigtableStore: ${message}`)
}
