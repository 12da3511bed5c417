// Who may import whom (design §2), type imports counted. The single truth for direction.
const folder = (name) => `^${name}/`;
const ours = '^(app|domain|main|projections|workers|test|fixtures|scripts)/';
/** `from` may import, of ours, only the folders listed. */
const only = (name, from, allowed, comment) => ({ name, comment, severity: 'error', from: { path: from }, to: { path: ours, pathNot: allowed.map((a) => (a.startsWith('^') ? a : folder(a))) } });

module.exports = {
  forbidden: [
    { name: 'no-cycles', comment: 'Two modules that need each other are one, or hide a third.', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-missing', comment: 'An import that resolves to nothing.', severity: 'error', from: { pathNot: 'vite.config' }, to: { couldNotResolve: true, pathNot: '^(virtua|svelte)/' } },
    only('domain-imports-nothing', folder('domain'), ['domain'], 'Facts and rules: pass what you need as an argument.'),
    { name: 'domain-libraries', comment: 'Only the allow-list: no I/O, no clock, no random.', severity: 'error', from: { path: folder('domain') }, to: { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: 'node_modules/(zod|unbash|cron-parser)/' } },
    only('projections-import-domain', folder('projections'), ['projections', 'domain'], 'Pure folds.'),
    { name: 'projections-no-node', severity: 'error', from: { path: folder('projections') }, to: { dependencyTypes: ['core'] } },
    only('api-imports', '^main/api/', ['^main/api/', 'domain', 'projections'], 'The contract: types and schemas only.'),
    only('main-imports', '^main/(?!api/)', ['main', 'projections', 'domain', 'workers'], 'main meets app only in main/api.'),
    only('workers-import', folder('workers'), ['workers', 'projections', 'domain'], 'Heavy pure work.'),
    only('app-imports', folder('app'), ['app', '^main/api/', 'projections', 'domain', 'workers'], 'The renderer meets main only in main/api.'),
    { name: 'electron-is-thin', comment: 'Electron only behind the Host port.', severity: 'error', from: { path: '^(main|app|workers|domain|projections)/', pathNot: '^main/hosts/electron/' }, to: { path: '(^|node_modules/)electron($|/)' } },
    { name: 'one-door-to-the-disk', comment: 'All file access goes through FsPort (main/ports/fs.ts).', severity: 'error', from: { path: '^(main|workers|app)/', pathNot: '^main/fs/node-fs\\.ts$' }, to: { path: '^(node:)?fs(/promises)?$' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { conditionNames: ['svelte', 'browser', 'import', 'node', 'default', 'types'], extensions: ['.ts', '.js', '.svelte', '.mjs'] },
  },
};
