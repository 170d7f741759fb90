/** Waits for work, but no longer than `timeoutMs`. */
export async function atMost(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, timeoutMs)
  await Promise.race([work, timeUp])
  clearTimeout(timer)
}
