import { describeType, KeepsakeError } from '@keepsake/core'

/** What ends a run that would go on. */
export interface Limits {
  /** Model calls of a run. Default 20. The run completes with `finishReason: 'tool-calls'`. */
  maxSteps?: number
  /** Tokens of a run, in and out, looked at after each step. Default: none. Completes with `finishReason: 'length'`. */
  maxTokens?: number
  /** Time of a run until its messages are stored. Default 600_000. The run fails: `run_failed`, retryable. */
  timeoutMs?: number
  /**
   * After how long without a sign of life another process goes on with a run. Default 30_000. A run that takes longer renews it;
   * the process that began a run goes on with it at once.
   */
  leaseMs?: number
}

const DEFAULTS: Required<Limits> = { maxSteps: 20, maxTokens: Infinity, timeoutMs: 600_000, leaseMs: 30_000 }
/** Leases are renewed at a third of their time. */
const MIN_LEASE_MS = 3
/** Timers of all runtimes fire at once when they are set for longer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1
const LARGEST: Required<Limits> = {
  maxSteps: Number.MAX_SAFE_INTEGER,
  maxTokens: Number.MAX_SAFE_INTEGER,
  timeoutMs: MAX_TIMEOUT_MS,
  leaseMs: MAX_TIMEOUT_MS,
}

/** The limits with their defaults. Throws `invalid_value` naming the one that is no whole number from 1. */
export function checkLimits(limits: Limits | undefined): Required<Limits> {
  if (limits === undefined) return DEFAULTS
  if (typeof limits !== 'object' || limits === null) {
    throw new KeepsakeError('invalid_value', `limits must be an object; it is ${describeType(limits)}.`)
  }
  const checked = { ...DEFAULTS }
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULTS, name)) {
      throw new KeepsakeError(
        'invalid_value',
        `limits.${name} is not known; there are ${Object.keys(DEFAULTS).join(', ')}.`,
      )
    }
    if (value === undefined) continue
    const limit = name as keyof Limits
    const smallest = limit === 'leaseMs' ? MIN_LEASE_MS : 1
    if (!Number.isSafeInteger(value) || value < smallest || value > LARGEST[limit]) {
      const found = typeof value === 'number' ? String(value) : describeType(value)
      throw new KeepsakeError(
        'invalid_value',
        `limits.${name} must be a whole number from ${smallest} to ${LARGEST[limit]}; it is ${found}.`,
      )
    }
    checked[limit] = value
  }
  return checked
}
