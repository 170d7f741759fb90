import { saidBy } from './engine-under-test.ts'
import { expectError } from './expect-error.ts'
import { Violation } from './violation.ts'
import { WORKERS, type World } from './world.ts'

/** Those who read threads that are worked on. */
export interface ThreadReader {
  /** Reads a thread, on any worker. */
  read(entity: string): void
  /** The same so many times, one after the other. */
  readLater(entity: string, times: number): void
}

export function threadReader(world: World): ThreadReader {
  const { choose, scheduler, checker } = world

  /** For what the engine calls back: it must not see a violation. */
  function guard(check: () => void): void {
    try {
      check()
    } catch (error) {
      world.fail(error)
    }
  }

  /** Reads a thread so many times, while it is worked on. */
  function readLater(entity: string, times: number): void {
    read(entity, () => {
      if (scheduler.faults && times > 1) readLater(entity, times - 1)
    })
  }

  /** Whoever reads a thread sees what was committed before it looked, and nothing that is not committed. */
  function read(entity: string, then = (): void => {}): void {
    world.begin(choose(WORKERS), `read ${entity}`, (engine) => {
      const said = (): string[] =>
        (checker.chains.get(engine.entityOf(entity)) ?? []).map(({ eventId, output }) => saidBy(eventId, output))
      const before = said().length
      const last = choose(2) === 0 ? Infinity : 1
      engine.read(entity, last).then(
        (texts) =>
          guard(() => {
            const now = said()
            const isThread = (n: number): boolean => texts.join() === now.slice(0, n).slice(-last).join()
            if (!now.slice(before).some((_, i) => isThread(before + i)) && !isThread(now.length)) {
              throw new Violation('I5', `read ${texts.join()}; committed is ${now.join()}, before ${before} of it`)
            }
            then()
          }),
        (error: unknown) => guard(() => expectError(error)),
      )
    })
  }

  return { read: (entity) => read(entity), readLater }
}
