import { expect, test } from 'vitest'
import { rowAssembler } from '../src/row-assembler.ts'

const bytes = (text: string): Buffer => Buffer.from(text)
const column = (name: string): { value: Buffer } => ({ value: bytes(name) })

test('a row of one chunk a cell', () => {
  const { add } = rowAssembler()
  expect(add({ rowKey: bytes('e\0k'), familyName: { value: 'm' }, qualifier: column('rec'), value: bytes('x') })).toBe(
    undefined,
  )
  expect(add({ qualifier: column('seq'), value: bytes('12345678'), commitRow: true })).toEqual({
    rowKey: 'e\0k',
    cells: new Map([
      ['rec', bytes('x')],
      ['seq', bytes('12345678')],
    ]),
  })
})

test('a value in pieces is joined, also if the first piece has 8 bytes', () => {
  const { add } = rowAssembler()
  add({
    rowKey: bytes('k'),
    familyName: { value: 'm' },
    qualifier: column('rec'),
    value: bytes('12345678'),
    valueSize: 10,
  })
  add({ value: bytes('9'), valueSize: 10 })
  expect(add({ value: bytes('0'), commitRow: true })?.cells.get('rec')).toEqual(bytes('1234567890'))
})

test('an empty value stays one', () => {
  const { add } = rowAssembler()
  const row = add({ rowKey: bytes('k'), familyName: { value: 'm' }, qualifier: column('exp'), commitRow: true })
  expect(row?.cells.get('exp')).toEqual(Buffer.alloc(0))
})

test('a row that the server begins again has nothing of its first beginning', () => {
  const assembler = rowAssembler()
  assembler.add({ rowKey: bytes('k'), familyName: { value: 'm' }, qualifier: column('rec'), value: bytes('old') })
  expect(assembler.isInRow()).toBe(true)
  assembler.add({ resetRow: true })
  expect(assembler.isInRow()).toBe(false)
  const row = assembler.add({
    rowKey: bytes('k'),
    familyName: { value: 'm' },
    qualifier: column('seq'),
    value: bytes('1'),
    commitRow: true,
  })
  expect([...row!.cells.keys()]).toEqual(['seq'])
})

test('rows follow each other', () => {
  const assembler = rowAssembler()
  const chunk = { familyName: { value: 'm' }, qualifier: column('seq'), value: bytes('1'), commitRow: true }
  expect(assembler.add({ ...chunk, rowKey: bytes('a') })?.rowKey).toBe('a')
  expect(assembler.isInRow()).toBe(false)
  expect(assembler.add({ ...chunk, rowKey: bytes('b') })?.rowKey).toBe('b')
})
