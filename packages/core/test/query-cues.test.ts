import { describe, expect, it } from 'vitest'
import { asksWhen, dateFit, dayOf, isQuestion, namedDate, saysWhen, type NamedDate } from '../src/search/query-cues.ts'

describe('namedDate', () => {
  it.each<[text: string, date: NamedDate | undefined]>([
    ['What happened on 7 May 2023?', { day: 7, month: 4, year: 2023 }],
    ['What happened on May 7th, 2023?', { month: 4, day: 7, year: 2023 }],
    ['the 3rd of December', { day: 3, month: 11 }],
    ['since 2023-05-07', { year: 2023, month: 4, day: 7 }],
    ['in Sept 2022', { month: 8, year: 2022 }],
    ['in June', { month: 5 }],
    ['early March', { month: 2 }],
    ['her plans for 2024', { year: 2024 }],
    ['May I march with you?', undefined],
    ['room 1234, 12 cats', undefined],
    ['', undefined],
  ])('%j names %j', (text, date) => {
    expect(namedDate(text)).toEqual(date)
  })

  it.each<[named: NamedDate, day: string, fit: number]>([
    [{ year: 2023, month: 4, day: 7 }, '2023-05-07', 1],
    [{ year: 2023, month: 4, day: 7 }, '2023-05-08', 0.5],
    [{ year: 2023, month: 4 }, '2023-05-31', 1],
    [{ month: 4 }, '1999-05-31', 1],
    [{ month: 4 }, '1999-06-01', 0],
    [{ year: 2023 }, '2024-01-01', 0],
  ])('%j fits %s by %d', (named, day, fit) => {
    expect(dateFit(named, dayOf(Date.parse(`${day}T23:59:59Z`)))).toBe(fit)
  })
})

it.each<[text: string, asks: boolean, says: boolean, question: boolean]>([
  ['When did we move?', true, false, true],
  ['Since when?  ', true, false, true],
  ['Whenever you like', false, false, false],
  ['We moved yesterday', false, true, false],
  ['It was in 2019.', false, true, false],
  ['真的吗？', false, false, true],
  ['two weeks ago', false, true, false],
])('%j', (text, asks, says, question) => {
  expect([asksWhen(text), saysWhen(text), isQuestion(text)]).toEqual([asks, says, question])
})
