import type { BuildOptions, BuildOutcome } from '../data/doctor/build-indexes.js';
import type { BuildProgress } from '../data/doctor/build-progress.js';
import type { FoundIndex } from '../data/doctor/index-state.js';
import { sizeWords } from './doctor-report.js';

const CLEAR = '\r\u001b[2K';

const RESULT_WORDS: Readonly<Record<BuildOutcome['result'], string>> = {
  built: 'done',
  refused: 'not made',
  failed: 'failed',
  interrupted: 'interrupted',
};

const progressWords = ({ phase, percent, waitsFor }: BuildProgress): string => {
  const share = percent === null ? '' : `, ${percent} %`;
  const blocker = waitsFor === null ? '' : `, for process ${waitsFor} to end its transaction`;
  return `${phase}${share}${blocker}`;
};

/** Tells how the builds go: in one line that changes where a person looks on, else a line for each step. */
export const createBuildTeller = ({
  tell,
  isWatched,
}: {
  tell: (text: string) => void;
  isWatched: boolean;
}): Omit<BuildOptions, 'signal'> => {
  let said = '';
  const sayOnce = (step: string, line: string) => {
    if (step === said) return;
    said = step;
    tell(isWatched ? `${CLEAR}${line}` : `${line}\n`);
  };

  return {
    onStart: ({ name, bytes }: FoundIndex) => {
      said = '';
      const size = bytes === null ? '' : `, about ${sizeWords(bytes)}`;
      tell(`Making ${name}${size} …\n`);
    },
    onProgress: ({ name }, progress) => {
      const words = progressWords(progress);
      // Off a terminal every tenth part is enough.
      const step = isWatched
        ? words
        : progressWords({
            ...progress,
            percent: progress.percent === null ? null : Math.floor(progress.percent / 10) * 10,
          });
      sayOnce(step, `  ${name}: ${words}`);
    },
    onEnd: ({ name, result, reason }: BuildOutcome) => {
      const why = reason === undefined ? '' : `: ${reason}`;
      tell(`${isWatched ? CLEAR : ''}  ${name}: ${RESULT_WORDS[result]}${why}\n`);
    },
  };
};
