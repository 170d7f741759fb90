import { inMemoryStore } from '@keepsake/core'
import { expect, test } from 'vitest'
import { benchPeers, keepsakeOn } from '../src/peers.ts'
import { textOf } from '../src/thread-peer.ts'

test('ours keeps a thread as the peers are asked to', async () => {
  await using ours = keepsakeOn(inMemoryStore())
  await ours.fill('t', 250)
  await ours.append('t', 250)
  expect(await ours.last('t', 3)).toEqual([248, 249, 250].map(textOf))
})

test('every peer whose server is there is compared, at every length', async () => {
  const lines = await benchPeers({ lengths: [10, 600], rounds: 1, operations: 2 })
  const skipped = lines.filter(({ ours }) => ours === 'skipped')
  if (process.env['CI']) expect(skipped).toEqual([])
  expect(lines.filter((line) => !skipped.includes(line))).toHaveLength(8 * (3 - skipped.length))
})
