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
