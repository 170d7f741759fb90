export { scriptedModel, type ScriptedCall, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts'
export {
  reasoning,
  text,
  toolCall,
  type Script,
  type ScriptedAnswer,
  type ScriptedPart,
  type ScriptedResponse,
  type ScriptedToolCall,
} from './script.ts'
export { testRowStore, type TestRowStoreOptions } from './test-row-store.ts'
export { rowStoreCases } from './row-store-cases.ts'
export type { CaseContext, RowStoreCase } from './row-store-case.ts'
export { runRowStoreCase } from './case-run.ts'
