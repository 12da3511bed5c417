import { describe, expect, test } from 'vitest';
import { activityHeader, activityIcon, showsThinking, stepText } from '#app/talk/activity.ts';
import { step, turn } from '../../support/app/data.ts';

const many = (...keys: string[]) => keys.map((key, i) => step(i, key, { name: `${i}.md`, query: 'q' }));

describe('[WB-COMPOSER-009-AC5] the header of an activity', () => {
  test('one kind is its phrase, repeats are counted', () => {
    expect(activityHeader('zh', many('tool.read'))).toBe('读取文件');
    expect(activityHeader('zh', many('tool.read', 'tool.read', 'tool.read'))).toBe('读取文件 3 次');
    expect(activityHeader('en', many('tool.search', 'tool.search'))).toBe('Search contents ×2');
  });
  test('two and three kinds are joined, more are a number of steps', () => {
    expect(activityHeader('zh', many('tool.read', 'tool.search', 'tool.read', 'tool.edit'))).toBe('读取文件 2 次、搜索内容、修改文件');
    expect(activityHeader('zh', many('tool.read', 'tool.search', 'tool.edit', 'tool.trash', 'tool.trash'))).toBe('已完成 5 项');
    expect(activityHeader('en', many('tool.read', 'tool.search', 'tool.edit', 'tool.trash'))).toBe('4 steps done');
  });
  test('[WB-BLOCKER-001-AC6] waits in its own words', () => {
    expect(activityHeader('zh', [step(1, 'tool.edit', {}, { state: 'waiting' })])).toBe('等待用户审核中');
    expect(activityIcon([step(1, 'tool.edit', {}, { state: 'waiting' })])).toBe('clock');
  });
  test('never shows a key that the catalogue does not know', () => {
    expect(activityHeader('zh', many('mcp.secret_tool'))).toBe('处理');
    expect(stepText('en', step(1, 'mcp.secret_tool', {}))).toBe('Took a step');
  });
  test('[WB-BLOCKER-001-B4] guidance follows its phrase', () => {
    expect(stepText('zh', step(1, 'tool.trash', { name: 'a' }, { decision: { decision: 'guide', guidance: '先留着' } }))).toBe('把 a 移到回收站 · 已反馈:先留着');
  });
  test('one icon: the tool’s own, or flow when kinds mix', () => {
    expect(activityIcon(many('tool.read', 'tool.read'))).toBe('file');
    expect(activityIcon(many('tool.read', 'tool.edit'))).toBe('bolt');
  });
});

describe('[WB-COMPOSER-003-AC3] “让俺想想”', () => {
  const running = turn(1, 0, 'x', { status: 'running' });
  test('shows while nothing else does', () => expect(showsThinking(running, '')).toBe(true));
  test('hides for a draft, a retry, a running step, an answer and the end', () => {
    expect(showsThinking(running, 'a')).toBe(false);
    expect(showsThinking({ ...running, process: [{ kind: 'retry', id: 'r', attempt: 1, of: 5, state: 'running', code: 'x' }] }, '')).toBe(false);
    expect(showsThinking({ ...running, process: [{ kind: 'activity', id: 'a', steps: [step(1, 'tool.read', {}, { state: 'running' })] }] }, '')).toBe(false);
    expect(showsThinking({ ...running, answer: { text: 'a', more: null, suggestions: [] } }, '')).toBe(false);
    expect(showsThinking({ ...running, status: 'stopped' }, '')).toBe(false);
    expect(showsThinking({ ...running, status: 'waiting' }, '')).toBe(false);
  });
});
