/** One text in both languages: Chinese, English. A missing language cannot be written down. */
export type Pair = readonly [zh: string, en: string];
