import { expect, it } from 'vitest'
import { createMemoryToolset } from '../src/toolset/memory-toolset.ts'
import { fileTools } from '../src/file-tools.ts'

it('what is no file system is refused before a model is given tools for it', () => {
  const message = 'files must be Files, such as rowFiles(store, owner); it is undefined.'
  expect(() => fileTools(undefined as never)).toThrow(message)
  expect(() => createMemoryToolset(undefined as never, {})).toThrow(message)
})
