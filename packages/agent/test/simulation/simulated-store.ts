import { KeepsakeError, type Range, type RowId, type RowStore, type RowWrite, type WriteResult } from '@keepsake/core'
import { perCent, type Choose } from './choices.ts'
import type { Scheduler, Worker } from './scheduler.ts'

/** One store behind all workers: the rows, and who is told of every one that changes. */
export interface SharedStore {
  readonly name: string
  readonly rows: RowStore
  readonly atomicBatch: boolean
  /** The kinds of rows that a call is about, for the report: `head+commit`. */
  kindsOf(method: 'load' | 'write' | 'remove', ids: readonly RowId[]): string
  kindOfScan(entity: string, range: Range): string
  onSent?(who: Worker, writes: readonly RowWrite[]): void
  /** A row was applied; it may have been there already, from the same write. */
  onApplied(write: RowWrite, who: Worker): void
  onAnswered?(who: Worker, writes: readonly RowWrite[], results: readonly WriteResult[]): void
  onRemoved(id: RowId & { seq?: number }): void
}

export interface StoreFaults {
  /** In 100 calls: how many fail, after some or all of them took effect, or before. */
  failPc: number
  /** In 100 writes: how many arrive twice. */
  doublePc: number
  /** At most so many failures in a run, so that what is repeated ends. */
  maxFailures: number
}

export interface SimulatedStoreOptions {
  shared: SharedStore
  scheduler: Scheduler
  choose: Choose
  faults: StoreFaults
  trace?: ((line: string) => void) | undefined
}

/**
 * How one worker sees the shared store: every call waits for the scheduler, may be held up, take effect in parts, fail
 * whether it took effect or not, arrive twice, or land after its sender's death.
 */
export function simulatedStore(who: Worker, options: SimulatedStoreOptions): RowStore {
  const { shared, scheduler, choose, faults, trace } = options
  const { rows } = shared
  let failures = 0

  const says = (text: string): void => trace?.(`  ${who.index}.${who.id} ${text}`)
  const fails = (): boolean => {
    if (!scheduler.faults || failures >= faults.maxFailures || !perCent(choose, faults.failPc)) return false
    failures++
    return true
  }

  function call<T>(label: string, act: () => Promise<T>, mayLandLate = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let outcome: (() => void) | undefined
      scheduler.send({
        who,
        label,
        mayLandLate,
        async act() {
          const lost = fails()
          const early = lost && choose(2) === 0
          if (early) {
            outcome = () => reject(unavailable())
            says(`${label}: fails`)
            return true
          }
          const result = await act()
          says(`${label}${lost ? ': answer lost' : ''}`)
          outcome = lost ? () => reject(unavailable()) : () => resolve(result)
          return true
        },
        answer: () => outcome!(),
      })
    })
  }

  /** Applies writes as the backend does, a part at a time, and tells what was applied. */
  async function apply(writes: readonly RowWrite[]): Promise<WriteResult[]> {
    const results: WriteResult[] = []
    for (const write of writes) {
      const [result] = await rows.write([write])
      results.push(result!)
      trace?.(
        `      ${shared.kindsOf('write', [write])} ${printable(write.key)}@${write.seq} ${guardText(write)} ${result!.status}`,
      )
      if (result!.status === 'applied') shared.onApplied(write, who)
    }
    return results
  }

  return {
    name: shared.name,
    limits: { ...rows.limits, atomicBatch: shared.atomicBatch },

    load: (ids: readonly RowId[]) => call(`load ${shared.kindsOf('load', ids)}`, () => rows.load(ids)),
    scan: (entity: string, range: Range) =>
      call(`scan ${shared.kindOfScan(entity, range)}`, () => rows.scan(entity, range)),
    entities: (range: Range) => call('entities', () => rows.entities(range)),

    write(given: readonly RowWrite[]) {
      if (given.length === 0) return Promise.resolve([])
      const writes = given.map((write) => ({ ...write, rec: new Uint8Array(write.rec) }))
      const label = `write ${shared.kindsOf('write', writes)}`
      shared.onSent?.(who, writes)
      return new Promise<WriteResult[]>((resolve, reject) => {
        const parts = inParts(writes, shared.atomicBatch)
        const results: WriteResult[] = []
        let outcome: (() => void) | undefined
        const lost = fails()
        // A failed call leaves any subset of its parts behind.
        const skipped = lost ? parts.map(() => choose(2) === 0) : undefined
        let next = 0
        const callOf = (by: Worker | undefined): Parameters<Scheduler['send']>[0] => ({
          who: by,
          label,
          mayLandLate: true,
          async act() {
            while (next < parts.length) {
              const part = parts[next]!
              if (skipped?.[next] !== true) results.push(...(await apply(part)))
              next++
              if (next < parts.length && scheduler.faults && choose(4) === 3) return false
            }
            says(`${label}${lost ? ': answer lost' : ''}`)
            outcome = lost
              ? () => reject(unavailable())
              : () => {
                  shared.onAnswered?.(who, writes, results)
                  resolve(results)
                }
            return true
          },
          answer: () => outcome!(),
        })
        scheduler.send(callOf(who))
        if (scheduler.faults && perCent(choose, faults.doublePc)) {
          scheduler.send({
            who: undefined,
            label,
            mayLandLate: true,
            act: async () => {
              trace?.(`  a duplicate of worker ${who.index}.${who.id}'s ${label}`)
              await apply(writes)
              return true
            },
            answer: () => {},
          })
        }
      })
    },

    remove(ids: readonly (RowId & { seq?: number })[]) {
      return call(
        `remove ${shared.kindsOf('remove', ids)}`,
        async () => {
          let removed = 0
          for (const id of ids) {
            const gone = await rows.remove([id])
            if (gone > 0) shared.onRemoved(id)
            removed += gone
          }
          return removed
        },
        true,
      )
    },

    removeEntity: () => Promise.reject(new Error('not part of the simulation')),
    provision: () => Promise.resolve(),
    verify: () => Promise.resolve(),
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** What lands whole: the rows of one entity where batches are atomic, else each row. */
function inParts(writes: readonly RowWrite[], atomicBatch: boolean): RowWrite[][] {
  if (!atomicBatch) return writes.map((write) => [write])
  const oneEntity = writes.every((write) => write.entity === writes[0]!.entity)
  return oneEntity ? [[...writes]] : writes.map((write) => [write])
}

function unavailable(): KeepsakeError {
  return new KeepsakeError('unavailable', 'The simulated store gave no answer.', { retryable: true })
}

function printable(key: string): string {
  return key.replaceAll('\u0001', '/')
}

function guardText({ guard = 'monotonic' }: RowWrite): string {
  return typeof guard === 'string' ? guard : `{${guard.seq}}`
}
