import { KeepsakeError } from '@keepsake/core'
import type { Fault, StoreCall, StoreMethod } from './store-fault.ts'

/** How often each fault comes: from 0 (never, the default) to 1; together at most 1. */
export interface FaultRates {
  fail?: number
  loseAnswer?: number
  /** Only writes are duplicated. */
  duplicate?: number
}

const WRITING: readonly StoreMethod[] = ['write', 'remove', 'removeEntity']

/**
 * A plan for `faultyStore` that draws its faults from a seed: the same seed and the same order of calls give the same
 * faults, so a failure is found again by its seed. Answers are lost only by calls that change something.
 */
export function seededFaults(seed: number, rates: FaultRates): (call: StoreCall) => Fault | undefined {
  const { fail = 0, loseAnswer = 0, duplicate = 0 } = rates
  for (const [name, rate] of Object.entries({ fail, loseAnswer, duplicate, total: fail + loseAnswer + duplicate })) {
    if (!(rate >= 0 && rate <= 1)) {
      throw new KeepsakeError('invalid_value', `The rate ${name} must be between 0 and 1; it is ${rate}.`)
    }
  }
  const random = mulberry32(seed)
  return ({ method }) => {
    const drawn = random()
    if (drawn < fail) return { kind: 'fail' }
    if (drawn < fail + loseAnswer) return WRITING.includes(method) ? { kind: 'lose-answer' } : undefined
    if (drawn < fail + loseAnswer + duplicate) return method === 'write' ? { kind: 'duplicate' } : undefined
    return undefined
  }
}

/** Tommy Ettinger's generator of 32 bits (public domain, 2017): small, and good enough to spread faults. */
function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
