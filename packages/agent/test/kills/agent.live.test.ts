import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { chatMemory } from '@keepsake/core'
import { expect, describe, test } from 'vitest'
import { openStore } from '@keepsake/test-stores/open-store'
import { startProgram } from './start-program.ts'
import { openPlace, storesHere } from '@keepsake/test-stores'

const KILLS = 25
const TIMEOUT_MS = 600_000

describe.each(await storesHere(['sqlite', 'postgres', 'redis']))('an agent on %s', (name) => {
  test(`whose process is killed ${KILLS} times in its runs`, { timeout: TIMEOUT_MS }, async () => {
    await using shared = await openPlace(name)
    const place = JSON.stringify(shared.place)
    const file = join(shared.folder, 'outside.txt')
    let kills = 0
    let runs = 0
    while (kills < KILLS) {
      const runId = `r${runs++}`
      for (let done = false; !done;) {
        await using program = startProgram('agent', place, file, runId)
        await program.line()
        const dies = kills < KILLS && setTimeout(Math.random() * 60).then(() => 'killed')
        const said = program.line()
        // One that was killed says nothing more.
        said.catch(() => {})
        const ended = await Promise.race(dies === false ? [said] : [said, dies])
        if (ended === 'killed') {
          program.signal('SIGKILL')
          kills++
        } else {
          expect(ended).toBe(`Done ${runId}.`)
          done = true
        }
      }
    }
    const store = await openStore(shared.place)
    const messages = await chatMemory(store).messages('t')
    await store.close()
    expect(messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))).toEqual(
      Array.from({ length: runs }, (_, index) => `Run r${index}`),
    )
    // Each turn whole: the input, three steps of a call and its result, and the answer.
    expect(messages).toHaveLength(8 * runs)
    const outside = (await readFile(file, 'utf8')).trim().split('\n')
    // At most the call that was in flight at a kill was made again.
    expect(outside.length).toBeGreaterThanOrEqual(7 * runs)
    expect(outside.length).toBeLessThanOrEqual(7 * runs + kills)
  })
})
