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
export { testHistory, type TestHistoryOptions } from './test-history.ts'
export { historyCases } from './history-cases.ts'
export type { HistoryCase, HistoryContext } from './history/history-case.ts'
export { runHistoryCase } from './history/run-history-case.ts'
export { brokenHistories, type BrokenHistory } from './broken-histories.ts'
export { brokenStores } from './broken/broken-stores.ts'
export type { BrokenStore } from './broken/broken-store.ts'
export { faultyStore, type FaultyStore } from './faulty-store.ts'
export type { Fault, FaultPlan, FaultRule, StoreCall, StoreMethod } from './store-fault.ts'
export { seededFaults, type FaultRates } from './seeded-faults.ts'
export { testMemoryModels, type TestMemoryModelsOptions } from './test-memory-models.ts'
export { memoryModelCases } from './memory-model-cases.ts'
export type { MemoryModelCase, ModelContext } from './model-cases/model-case.ts'
export { runMemoryModelCase } from './model-cases/run-model-case.ts'
export { testFiles, type TestFilesOptions } from './test-files.ts'
export { testFilesProcesses, type FilesProcesses } from './test-files-processes.ts'
export { filesCases } from './files-cases.ts'
export type { FilesCase, OpenedFiles } from './files/files-case.ts'
export { runFilesCase } from './files/run-files-case.ts'
export { brokenFiles, type BrokenFiles } from './files/broken-files.ts'
export { testSearchIndex, type TestSearchIndexOptions } from './test-search-index.ts'
export { searchIndexCases } from './search-index-cases.ts'
export type { SearchIndexCase, SearchIndexContext } from './search/search-index-case.ts'
export { runSearchCaseOn, type OpenSearchIndex } from './search/run-search-case.ts'
export { testEmbedder, type TestEmbedderOptions } from './test-embedder.ts'
