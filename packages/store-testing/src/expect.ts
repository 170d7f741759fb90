import { equalBytes, KeepsakeError, type ErrorCode, type Row, type RowWrite, type WriteResult } from '@keepsake/core'

// Cases also run outside a test runner, so they bring their own checks. `actual` and `expected` make runners show a diff.

/** Compares plain JSON values. `what` says what is compared. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) fail(what, actual, expected)
}

/** Compares rows field by field; a guard in `expected` is ignored. */
export function expectRows(
  actual: readonly (Row | undefined)[],
  expected: readonly (Row | RowWrite | undefined)[],
  what = 'rows',
): void {
  const same = actual.length === expected.length && actual.every((row, i) => sameRow(row, expected[i]))
  if (!same) fail(what, actual.map(shownRow), expected.map(shownRow))
}

/** Compares results of `write`; a number stands for `stale` with that seq. */
export function expectResults(
  actual: readonly WriteResult[],
  expected: readonly ('applied' | number)[],
  what = 'results',
): void {
  const short = actual.map((result) => (result.status === 'applied' ? 'applied' : result.seq))
  expectEqual(short, expected, what)
}

/** Waits for a rejection with a KeepsakeError of this code, and returns it. */
export async function expectError(promise: Promise<unknown>, code: ErrorCode, what: string): Promise<KeepsakeError> {
  const outcome = await promise.then(
    () => 'no error',
    (error: unknown) => error,
  )
  if (KeepsakeError.isInstance(outcome, code)) return outcome
  if (KeepsakeError.isInstance(outcome)) return fail(what, outcome.code, code)
  return fail(what, outcome instanceof Error ? `${outcome.name}: ${outcome.message}` : String(outcome), code)
}

function sameRow(a: Row | undefined, b: Row | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return (
    a.entity === b.entity &&
    a.key === b.key &&
    a.seq === b.seq &&
    a.updatedAtMs === b.updatedAtMs &&
    a.expiresAtMs === b.expiresAtMs &&
    a.rec instanceof Uint8Array &&
    equalBytes(a.rec, b.rec)
  )
}

function shownRow(row: Row | undefined): unknown {
  if (row === undefined) return null
  const { entity, key, seq, rec, updatedAtMs, expiresAtMs } = row
  const head = Array.from(rec.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { entity, key, seq, rec: `${rec.length} bytes: ${head}`, updatedAtMs, expiresAtMs }
}

function fail(what: string, actual: unknown, expected: unknown): never {
  const message = `${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`
  throw Object.assign(new Error(message), { actual, expected })
}
