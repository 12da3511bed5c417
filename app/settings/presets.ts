/** Common OpenAI-compatible services. Data only: nothing here is ever contacted unless the person saves or tests it. */
export interface Preset {
  readonly name: string;
  readonly baseUrl: string;
  /** Where a key is made; null for services on this computer. */
  readonly keyPage: string | null;
}

export const presets: readonly Preset[] = [
  { name: 'DeepSeek', baseUrl: 'https://api.deepseek.com/v1', keyPage: 'https://platform.deepseek.com/api_keys' },
  { name: '通义千问 Qwen', baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1', keyPage: 'https://bailian.console.aliyun.com/' },
  { name: 'Kimi', baseUrl: 'https://api.moonshot.cn/v1', keyPage: 'https://platform.moonshot.cn/console/api-keys' },
  { name: '智谱 GLM', baseUrl: 'https://open.bigmodel.cn/api/paas/v4', keyPage: 'https://open.bigmodel.cn/usercenter/apikeys' },
  { name: 'OpenAI', baseUrl: 'https://api.openai.com/v1', keyPage: 'https://platform.openai.com/api-keys' },
  { name: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1', keyPage: 'https://openrouter.ai/keys' },
  { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', keyPage: null },
  { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1', keyPage: null },
];
