/** Runs work of one key in turn and of different keys together, so that one process queues for a lock only once. */
export function keyedQueue(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const running = (last.get(key) ?? Promise.resolve()).then(work)
    // The next in line does not care how this ends.
    const settled = running.catch(() => {})
    last.set(key, settled)
    try {
      return await running
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
