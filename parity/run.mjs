import { runBeside } from '../scripts/run-beside.mjs';

runBeside('parity', ['fast-check']);
