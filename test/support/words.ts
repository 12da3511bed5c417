export { sayFailure } from '#domain/words/words.ts';
export const LANGUAGES = ['zh', 'en'] as const;
