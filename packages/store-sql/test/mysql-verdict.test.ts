import { describe, expect, test } from 'vitest'
import { toldOfInsert } from '../src/mysql-verdict.ts'

const info = (records: number, duplicates: number): string =>
  `Records: ${records}  Duplicates: ${duplicates}  Warnings: 0`

describe('where changes are counted', () => {
  test.each([
    ['one row that was inserted', 1, { affectedRows: 1, info: '' }, true],
    ['one row that was changed', 1, { affectedRows: 2, info: '' }, true],
    ['one row that was not', 1, { affectedRows: 0, info: '' }, false],
    ['three that were inserted', 3, { affectedRows: 3, info: info(3, 0) }, true],
    ['three that were changed', 3, { affectedRows: 6, info: info(3, 3) }, true],
    ['one that was inserted and two that were changed', 3, { affectedRows: 5, info: info(3, 2) }, true],
    ['two that were inserted and one that was not', 3, { affectedRows: 2, info: info(3, 0) }, false],
    // The count alone would be that of three insertions.
    ['one of each', 3, { affectedRows: 3, info: info(3, 1) }, false],
    ['a server that speaks another language', 3, { affectedRows: 4, info: 'Datensätze: 3  Duplikate: 1  …: 0' }, true],
    ['a server that says nothing', 3, { affectedRows: 3, info: '' }, false],
  ])('%s', (_, rows, outcome, all) => {
    expect(toldOfInsert(rows, outcome, true)).toEqual(Array(rows).fill(all ? true : undefined))
  })
})

describe('where rows are counted that were found', () => {
  test.each([
    ['one row that was inserted, or was not changed', 1, { affectedRows: 1, info: '' }, false],
    ['one row that was changed', 1, { affectedRows: 2, info: '' }, true],
    ['three that were changed', 3, { affectedRows: 6, info: info(3, 3) }, true],
    ['three that were inserted, or not', 3, { affectedRows: 3, info: info(3, 0) }, false],
    ['two that were changed and one that was not', 3, { affectedRows: 5, info: info(3, 2) }, false],
  ])('%s', (_, rows, outcome, all) => {
    expect(toldOfInsert(rows, outcome, false)).toEqual(Array(rows).fill(all ? true : undefined))
  })
})
