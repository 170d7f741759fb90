import { inMemoryStore, records } from '@keepsake/core'
import { expect, it } from 'vitest'
import { stateFiles } from '../src/state-files.ts'

it('keeps each file as an entry of the state, as JSON, beside what else is there', async () => {
  const state = records(inMemoryStore(), ['threads', 'a'])
  await state.put(['files-old', 'a.md'], 'other')
  await state.put(['counter'], 1)
  const files = stateFiles(state)
  await files.write('/notes/a.md', 'text')
  await files.upload([{ path: '/a.bin', bytes: Uint8Array.of(0xff, 0, 0x80) }])
  expect((await state.get(['files', 'notes', 'a.md']))?.value).toEqual({ text: 'text' })
  // `printf '\xff\x00\x80' | base64`
  expect((await state.get(['files', 'a.bin']))?.value).toEqual({ base64: '/wCA' })
  expect(await files.glob('**')).toMatchObject({ value: [{ path: '/a.bin' }, { path: '/notes/a.md', sizeBytes: 4 }] })
  expect((await state.get(['counter']))?.value).toBe(1)
})

it('has its files where it is told to', async () => {
  const state = records(inMemoryStore(), ['threads', 'a'])
  const [one, two] = [stateFiles(state, { at: ['x', 'one'] }), stateFiles(state, { at: ['x'] })]
  await one.write('/a.md', 'text')
  expect(await two.read('/one/a.md')).toMatchObject({ value: { content: 'text' } })
  expect((await state.get(['x', 'one', 'a.md']))?.value).toEqual({ text: 'text' })
})
