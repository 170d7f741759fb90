/** The parts of a run in order, for any number of readers, each of which reads all of them at its own pace. */
export interface PartLog<T> {
  push(part: T): void
  /** No more parts come. With an error, readers who ask for it are told. */
  end(failure?: { error: unknown }): void
  /** The part at `index`, as soon as there is one; `undefined` after the last. */
  at(index: number): Promise<T | undefined>
  readonly failure: { error: unknown } | undefined
}

export function partLog<T>(): PartLog<T> {
  const parts: T[] = []
  let waiting: (() => void)[] = []
  const state: { ended: boolean; failure: { error: unknown } | undefined } = { ended: false, failure: undefined }
  function wake(): void {
    const all = waiting
    waiting = []
    for (const resolve of all) resolve()
  }
  return {
    push(part) {
      if (state.ended) return
      parts.push(part)
      wake()
    },
    end(why) {
      state.ended = true
      state.failure = why
      wake()
    },
    async at(index) {
      while (index >= parts.length && !state.ended) await new Promise<void>((resolve) => waiting.push(resolve))
      return parts[index]
    },
    get failure() {
      return state.failure
    },
  }
}
