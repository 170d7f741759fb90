/** At a millisecond each, letting timers run this often costs a stream next to nothing. */
const TURNS = 1_000

/**
 * To be awaited in each turn of a loop over promises. Where all of them are ready at once, the runtime would come to nothing
 * else, timers included: neither a timeout nor a caller's abort would ever be heard.
 */
export function breather(): () => Promise<void> | undefined {
  let turns = 0
  return () => (++turns % TURNS === 0 ? new Promise((resolve) => setTimeout(resolve, 0)) : undefined)
}
