import { KeepsakeError, type RowStore, type RowWrite } from '@keepsake/core'
import type { Fault, FaultPlan, StoreCall, StoreMethod, Until } from './store-fault.ts'

export interface FaultyStore extends RowStore {
  /** Every fault that was injected, in order. */
  readonly faults: readonly { readonly call: StoreCall; readonly fault: Fault }[]
  /** Waits for the late duplicates that are on their way. Rejects if the store refused one. */
  settled(): Promise<void>
}

/**
 * A store whose calls go wrong as planned, and otherwise are those of `store`. Nothing is random and no time passes by
 * itself: the same plan and the same order of calls give the same faults.
 *
 * @example
 * // The third write takes effect, but its caller is told that the store is unavailable.
 * faultyStore(store, [{ method: 'write', index: 2, fault: { kind: 'lose-answer' } }])
 */
export function faultyStore(store: RowStore, plan: FaultPlan): FaultyStore {
  const counts = new Map<StoreMethod, number>()
  const faults: { call: StoreCall; fault: Fault }[] = []
  const late: Promise<unknown>[] = []
  let total = 0

  function next(method: StoreMethod): { call: StoreCall; fault: Fault | undefined } {
    const index = counts.get(method) ?? 0
    counts.set(method, index + 1)
    const call = { method, index, total: total++ }
    const fault =
      typeof plan === 'function'
        ? plan(call)
        : plan.find((rule) => rule.method === method && rule.index === index)?.fault
    if (fault !== undefined) faults.push({ call, fault })
    return { call, fault }
  }

  /** `work` reaches the store; `writing` are the rows that it writes. */
  async function run<T>(method: StoreMethod, work: () => Promise<T>, writing?: readonly RowWrite[]): Promise<T> {
    const { call, fault } = next(method)
    if (fault?.kind === 'fail') throw errorOf(fault, call)
    if (fault?.kind === 'partial') {
      if (writing !== undefined) await store.write(writing.slice(0, fault.rows))
      throw errorOf(fault, call)
    }
    if (fault?.kind === 'delay') await reached(fault.until)
    // Copied before the call: the caller may change its rows by the time they are sent again.
    const again =
      fault?.kind === 'duplicate' ? writing?.map((row) => ({ ...row, rec: new Uint8Array(row.rec) })) : undefined
    const result = await work()
    if (fault?.kind === 'lose-answer') throw errorOf(fault, call)
    if (fault?.kind === 'duplicate' && again !== undefined)
      sendLate(reached(fault.until).then(() => store.write(again)))
    return result
  }

  function sendLate(duplicate: Promise<unknown>): void {
    late.push(duplicate)
    // Its failure is told by `settled`, and is no unhandled rejection until then.
    duplicate.catch(() => undefined)
  }

  return {
    name: store.name,
    limits: store.limits,
    faults,
    load: (ids, options) => run('load', () => store.load(ids, options)),
    scan: (entity, range, options) => run('scan', () => store.scan(entity, range, options)),
    entities: (range, options) => run('entities', () => store.entities(range, options)),
    write: (rows, options) => run('write', () => store.write(rows, options), rows),
    remove: (ids, options) => run('remove', () => store.remove(ids, options)),
    removeEntity: (entity, options) => run('removeEntity', () => store.removeEntity(entity, options)),
    provision: (options) => store.provision(options),
    verify: (options) => store.verify(options),
    close: () => store.close(),
    async settled() {
      while (late.length > 0) await Promise.all(late.splice(0))
    },
    async [Symbol.asyncDispose]() {
      await store.close()
    },
  }
}

async function reached(until: Until | undefined): Promise<void> {
  await (typeof until === 'function' ? until() : until)
}

function errorOf(fault: { kind: string; error?: unknown }, call: StoreCall): unknown {
  return (
    fault.error ??
    new KeepsakeError('unavailable', `Injected fault: ${fault.kind} at ${call.method} ${call.index}.`, {
      retryable: true,
      details: { kind: fault.kind, method: call.method, index: call.index },
    })
  )
}
