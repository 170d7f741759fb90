import { chatClearCases } from './model-cases/chat-clear-cases.ts'
import { chatContentCases } from './model-cases/chat-content-cases.ts'
import { chatExpiryCases } from './model-cases/chat-expiry-cases.ts'
import { chatFailureCases } from './model-cases/chat-failure-cases.ts'
import { chatOrderCases } from './model-cases/chat-order-cases.ts'
import { chatOwnerCases } from './model-cases/chat-owner-cases.ts'
import { chatReadingCases } from './model-cases/chat-reading-cases.ts'
import { chatRemovalCases } from './model-cases/chat-removal-cases.ts'
import { chatRepeatCases } from './model-cases/chat-repeat-cases.ts'
import { erasureCases } from './model-cases/erasure-cases.ts'
import type { MemoryModelCase } from './model-cases/model-case.ts'
import { recordClockCases } from './model-cases/record-clock-cases.ts'
import { recordDeleteCases } from './model-cases/record-delete-cases.ts'
import { recordExpiryCases } from './model-cases/record-expiry-cases.ts'
import { recordInputCases } from './model-cases/record-input-cases.ts'
import { recordListCases } from './model-cases/record-list-cases.ts'
import { recordNamespaceCases } from './model-cases/record-namespace-cases.ts'
import { recordOwnerCases } from './model-cases/record-owner-cases.ts'
import { recordUpdateCases } from './model-cases/record-update-cases.ts'
import { recordVersionCases } from './model-cases/record-version-cases.ts'

/** The rules of chat memory, of records and of their erasure, one case each. They hold on every store that passes `rowStoreCases`. */
export const memoryModelCases: readonly MemoryModelCase[] = [
  ...chatOrderCases,
  ...chatRepeatCases,
  ...chatFailureCases,
  ...chatOwnerCases,
  ...chatClearCases,
  ...chatExpiryCases,
  ...chatRemovalCases,
  ...chatReadingCases,
  ...chatContentCases,
  ...recordVersionCases,
  ...recordUpdateCases,
  ...recordClockCases,
  ...recordDeleteCases,
  ...recordExpiryCases,
  ...recordListCases,
  ...recordNamespaceCases,
  ...recordOwnerCases,
  ...recordInputCases,
  ...erasureCases,
]
