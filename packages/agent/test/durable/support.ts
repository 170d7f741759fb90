import type { RowStore } from '@keepsake/core'
import { testClock } from '../support.ts'

export type TestClock = ReturnType<typeof testClock>

/** A store as a process has it that dies at a call: from then on nothing answers, and nothing that it asks is done. */
export interface MortalStore extends RowStore {
  /** Calls so far. */
  readonly calls: number
  readonly died: Promise<'died'>
}

const METHODS = ['load', 'scan', 'write', 'remove', 'entities', 'removeEntity'] as const

/** `when` says whether the call at which it dies (from 1) still takes effect. */
export function mortalStore(
  store: RowStore,
  dieAt: number = Infinity,
  when: 'before' | 'after' = 'before',
  limits: Partial<RowStore['limits']> = {},
): MortalStore {
  let calls = 0
  const death = Promise.withResolvers<'died'>()
  const never = new Promise<never>(() => {})
  const methods = METHODS.map((name) => [
    name,
    async (...given: unknown[]) => {
      const index = ++calls
      if (index > dieAt || (index === dieAt && when === 'before')) {
        death.resolve('died')
        return never
      }
      const result: unknown = await (store[name] as (...all: unknown[]) => Promise<unknown>)(...given)
      if (index !== dieAt) return result
      death.resolve('died')
      return never
    },
  ])
  const mortal = Object.assign(Object.create(store) as RowStore, Object.fromEntries(methods), {
    limits: { ...store.limits, ...limits },
    died: death.promise,
  })
  return Object.defineProperty(mortal, 'calls', { get: () => calls }) as MortalStore
}

/** By then a lease that nobody renews is dead to everybody. */
export const LEASE_OVER_MS = 100_000
