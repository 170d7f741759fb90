import type { StoreDriver } from '@keepsake/core'
import { expect, it } from 'vitest'
import { runChaos, type ChaosOptions } from './run-chaos.ts'

export interface TestChaosOptions extends Omit<ChaosOptions, 'outages'> {
  /** Why there are fewer calls than by default; shown in the test's name. */
  fewerBecause?: string
}

/** A slow server on a busy machine. */
const TIMEOUT_MS = 600_000

/**
 * Registers one test with vitest: several processes that write the same rows of a store, and are killed with `kill -9` while
 * they do. Nothing that was acknowledged is lost, no row goes back, nothing that was reported stale is there. The database
 * may be shared and hold rows; `provision()` is called first. Node runs the driver's module as it is.
 */
export function testChaos(name: string, options: TestChaosOptions): void {
  const { fewerBecause, ...chaos } = options
  const { writers = 4, calls = 5000, rows = 50, kills = 20 } = chaos
  const fewer = fewerBecause === undefined ? '' : ` (${fewerBecause})`
  const title = `${writers} processes, ${calls} guarded calls each on ${rows} rows, killed ${kills} times${fewer}`
  it(`${name}: ${title}: every acknowledgement holds`, { timeout: TIMEOUT_MS }, async () => {
    const { driver } = (await import(chaos.driver)) as { driver: StoreDriver }
    {
      await using store = await driver.open(chaos.uri)
      await store.provision()
    }
    const result = await runChaos(chaos)
    expect(result).toMatchObject({ violations: [], calls: writers * calls, kills })
    // All of them were at work, and met each other.
    expect(result.applied).toBeGreaterThan(result.calls / 4)
    expect(result.stale).toBeGreaterThan(result.calls / 20)
    expect(result.unanswered).toBeLessThanOrEqual(kills)
  })
}
