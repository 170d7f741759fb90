/** Work that goes on in the background of a test. */
export interface Again {
  /** How often it has been done. */
  readonly turns: number
  /** Waits until it has been done so many times more; rejects if it fails. */
  more(turns: number): Promise<void>
  /** Lets the turn that is under way end, and gives the number of turns; rejects if one failed. */
  stop(): Promise<number>
}

/** Does something again and again until it is stopped or fails. */
export function again(work: (turn: number) => Promise<unknown>): Again {
  const state = { turns: 0, stopped: false }
  let turned = Promise.withResolvers<void>()
  const ended = loop()
  ended.catch(() => {})

  async function loop(): Promise<void> {
    while (!state.stopped) {
      await work(state.turns + 1)
      state.turns++
      turned.resolve()
      turned = Promise.withResolvers()
    }
  }

  return {
    get turns() {
      return state.turns
    },
    async more(turns) {
      for (const enough = state.turns + turns; state.turns < enough;) await Promise.race([turned.promise, ended])
    },
    async stop() {
      state.stopped = true
      await ended
      return state.turns
    },
  }
}
