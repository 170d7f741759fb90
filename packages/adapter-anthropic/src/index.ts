export { anthropicMemory, type AnthropicMemory, type AnthropicMemoryOptions } from './anthropic-memory.ts'
