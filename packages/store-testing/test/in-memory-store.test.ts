import { inMemoryStore } from '@keepsake/core'
import { testRowStore } from '../src/index.ts'

testRowStore('in-memory', async () => inMemoryStore())
