import type { RowStoreCase } from './row-store-case.ts'
import { abortCases } from './cases/abort-cases.ts'
import { atomicBatchCases } from './cases/atomic-batch-cases.ts'
import { batchCases } from './cases/batch-cases.ts'
import { byteCases } from './cases/byte-cases.ts'
import { concurrencyCases } from './cases/concurrency-cases.ts'
import { expiredRowCases } from './cases/expired-row-cases.ts'
import { guardCases } from './cases/guard-cases.ts'
import { inputCases } from './cases/input-cases.ts'
import { keyCases } from './cases/key-cases.ts'
import { lifeCycleCases } from './cases/life-cycle-cases.ts'
import { loadCases } from './cases/load-cases.ts'
import { numberCases } from './cases/number-cases.ts'
import { orderCases } from './cases/order-cases.ts'
import { pagingCases } from './cases/paging-cases.ts'
import { raceCases } from './cases/race-cases.ts'
import { rangeCases } from './cases/range-cases.ts'
import { removalCases } from './cases/removal-cases.ts'
import { retryCases } from './cases/retry-cases.ts'
import { sizeCases } from './cases/size-cases.ts'
import { tombstoneCases } from './cases/tombstone-cases.ts'

/** Every rule of the row contract that can be observed, as data: `testRowStore` only registers them. */
export const rowStoreCases: readonly RowStoreCase[] = [
  ...lifeCycleCases,
  ...inputCases,
  ...keyCases,
  ...orderCases,
  ...rangeCases,
  ...loadCases,
  ...byteCases,
  ...sizeCases,
  ...numberCases,
  ...guardCases,
  ...expiredRowCases,
  ...tombstoneCases,
  ...removalCases,
  ...batchCases,
  ...atomicBatchCases,
  ...retryCases,
  ...pagingCases,
  ...abortCases,
  ...concurrencyCases,
  ...raceCases,
]
