import { runBeside } from '../scripts/run-beside.mjs';

runBeside('bench', ['autocannon', 'postgraphile']);
