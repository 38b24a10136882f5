import type { Experiment } from '../experiment.js';
import { TOKENS } from '../world/tokens.js';
import { type Case, runCases } from './fairness.js';

const CASES: readonly Case[] = [
  { title: '20 loops of handshakes', attack: 'handshakes', options: { loops: 20 } },
  {
    title: '200 WebSockets without connection_init',
    attack: 'silentSockets',
    options: { loops: 200 },
  },
  {
    title: 'thousands of pings on each of 300 WebSockets without connection_init',
    attack: 'pingFloods',
    options: { loops: 300 },
  },
  {
    title: 'pings on 20 WebSockets of one viewer',
    attack: 'socketPings',
    options: { token: TOKENS.attacker, loops: 20 },
  },
  {
    title: 'large pings on 20 WebSockets of one viewer',
    attack: 'largePings',
    options: { token: TOKENS.attacker, loops: 20 },
  },
  {
    title: 'small operations on 20 WebSockets of one viewer',
    attack: 'socketOperations',
    options: { token: TOKENS.attacker, loops: 20 },
  },
  {
    title: '20 WebSockets of one viewer that do not read large pages',
    attack: 'nonReadingWebSockets',
    options: { token: TOKENS.attacker, loops: 20 },
  },
];

export const websockets: Experiment = {
  name: 'websockets',
  summary:
    'an abusive client on WebSockets next to an honest one, whose p99 may grow at most fivefold',
  run: (run) => runCases(run, 'websockets', CASES),
};
