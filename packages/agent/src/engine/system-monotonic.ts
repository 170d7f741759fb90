/** Milliseconds since the process began: a clock that nobody sets. */
export function systemMonotonicMs(): number {
  return performance.now()
}
