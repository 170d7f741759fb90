import { describe, expect, it } from 'vitest'
import { formatTable, type Column } from '../src/table.ts'
import { fitWidth, textWidth } from '../src/text-width.ts'

describe('textWidth', () => {
  it.each<[text: string, columns: number]>([
    ['', 0],
    ['abc', 3],
    ['naïve', 5],
    ['nai\u0308ve', 5],
    ['日本', 4],
    ['ｱ', 1],
    ['한국', 4],
    ['😀', 2],
    ['👩\u200d👧', 2],
    ['❤\ufe0f', 2],
    ['→…', 2],
    ['＋', 2],
  ])('%s has %d', (text, columns) => {
    expect(textWidth(text)).toBe(columns)
  })
})

describe('fitWidth', () => {
  it.each<[text: string, columns: number, fitted: string]>([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['nai\u0308ve', 4, 'nai\u0308…'],
  ])('%s in %d', (text, columns, fitted) => {
    expect(fitWidth(text, columns)).toBe(fitted)
  })
})

describe('formatTable', () => {
  const columns: Column[] = [{ title: 'KEY', flexible: true }, { title: 'SIZE', align: 'right' }, { title: 'STATE' }]

  it('aligns columns and leaves none of the spaces at the ends', () => {
    const rows = [
      ['a', '5 B', ''],
      ['日本/x', '120 B', 'expired'],
    ]
    expect(formatTable(columns, rows)).toEqual(['KEY      SIZE  STATE', 'a         5 B', '日本/x  120 B  expired'])
  })

  it('leaves out a column that is empty everywhere', () => {
    expect(formatTable(columns, [['a', '5 B', '']])).toEqual(['KEY  SIZE', 'a     5 B'])
  })

  it('cuts flexible columns to the width of the terminal, and no others', () => {
    const rows = [['memories/language', '1.2 kB', 'tombstone']]
    expect(formatTable(columns, rows, { width: 30 })).toEqual([
      'KEY            SIZE  STATE',
      'memories/l…  1.2 kB  tombstone',
    ])
  })

  it('gives up below what the others need', () => {
    const rows = [['memories/language', '1.2 kB', 'tombstone']]
    expect(formatTable(columns, rows, { width: 5 })[1]).toBe('memorie…  1.2 kB  tombstone')
  })

  it('takes from the widest first', () => {
    const two: Column[] = [
      { title: 'A', flexible: true },
      { title: 'B', flexible: true },
    ]
    expect(formatTable(two, [['a'.repeat(20), 'b'.repeat(12)]], { width: 24 })[1]).toBe('aaaaaaaaaa…  bbbbbbbbbb…')
  })

  it('styles the titles', () => {
    expect(formatTable(columns, [['a', '', '']], { styleTitle: (title) => `<${title}>` })).toEqual(['<KEY>', 'a'])
  })
})
