import { inMemoryStore } from '@keepsake/core'
import { createMemoryToolset, rowFiles } from '@keepsake/files'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { expect, test } from 'vitest'
import { createAgent } from '../../src/index.ts'
import { testClock } from '../support.ts'
import { LEASE_OVER_MS, mortalStore } from './support.ts'

const USER = '/USER.md'
const input = { threadId: 't', prompt: 'I like tea', runId: 'r' }

test('a process that dies in a run loses nothing that its toolset was told, and writes nothing of it twice', async () => {
  let deaths = 0
  for (let call = 1; ; call++) {
    for (const when of ['before', 'after'] as const) {
      const store = inMemoryStore()
      const clock = testClock()
      const files = rowFiles(inMemoryStore(), 'ada')
      await files.write(USER, '- Ada.\n')
      const process = (on: typeof store) =>
        createAgent({
          model: scriptedModel(({ prompt }) =>
            prompt.at(-1)!.role === 'user'
              ? toolCall('memory_write', { path: USER, content: '- Ada.\n- Likes tea.\n' })
              : 'Noted.',
          ),
          store: on,
          clock,
          toolset: () => createMemoryToolset(files, { always: [USER] }),
        })
      const mortal = mortalStore(store, call, when)
      const ended = await Promise.race([process(mortal).run(input), mortal.died])
      clock.advance(LEASE_OVER_MS)
      expect((await process(store).run(input)).text).toBe('Noted.')
      const file = await files.read(USER)
      expect(file.ok && file.value.content, `${when} call ${call}`).toBe('- Ada.\n- Likes tea.\n')
      if (ended !== 'died') {
        expect(deaths).toBeGreaterThan(12)
        return
      }
      deaths++
    }
  }
})
