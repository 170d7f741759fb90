import { testChaos } from '@keepsake/store-testing/chaos'
import { describe } from 'vitest'
import { freshProject, NEEDS_EMULATOR, serverUrl } from './server.ts'

const host = await serverUrl()

describe.skipIf(host === undefined)(NEEDS_EMULATOR, () => {
  testChaos('firestore', {
    driver: new URL('../src/index.ts', import.meta.url).href,
    uri: `firestore://${freshProject()}/memory`,
    calls: 500,
    fewerBecause: 'the emulator is slow',
  })
})
