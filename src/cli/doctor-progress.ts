import type { BuildOptions, BuildOutcome } from '../data/doctor/build-indexes.js';
import type { BuildProgress } from '../data/doctor/build-progress.js';
import type { FoundIndex } from '../data/doctor/index-state.js';
import { formatSize } from './doctor-report.js';

const CLEAR = '\r\u001b[2K';

const RESULT_LABELS: Readonly<Record<BuildOutcome['result'], string>> = {
  built: 'done',
  refused: 'not created',
  failed: 'failed',
  interrupted: 'interrupted',
};

const formatProgress = ({ phase, percent, waitsFor }: BuildProgress): string => {
  const share = percent === null ? '' : `, ${percent} %`;
  const blocker = waitsFor === null ? '' : `, waiting for the transaction of process ${waitsFor}`;
  return `${phase}${share}${blocker}`;
};

/** Reports build progress: on a terminal in one line that is overwritten, else in a line per step. */
export const createBuildReporter = ({
  writeError,
  isInteractive,
}: {
  writeError: (text: string) => void;
  isInteractive: boolean;
}): Omit<BuildOptions, 'signal'> => {
  let lastStep = '';
  const writeOnce = (step: string, line: string) => {
    if (step === lastStep) return;
    lastStep = step;
    writeError(isInteractive ? `${CLEAR}${line}` : `${line}\n`);
  };

  return {
    onStart: ({ name, bytes }: FoundIndex) => {
      lastStep = '';
      const size = bytes === null ? '' : `, about ${formatSize(bytes)}`;
      writeError(`Creating ${name}${size} …\n`);
    },
    onProgress: ({ name }, progress) => {
      const text = formatProgress(progress);
      // Without a terminal, steps of 10 % are enough.
      const step = isInteractive
        ? text
        : formatProgress({
            ...progress,
            percent: progress.percent === null ? null : Math.floor(progress.percent / 10) * 10,
          });
      writeOnce(step, `  ${name}: ${text}`);
    },
    onEnd: ({ name, result, reason }: BuildOutcome) => {
      const suffix = reason === undefined ? '' : `: ${reason}`;
      writeError(`${isInteractive ? CLEAR : ''}  ${name}: ${RESULT_LABELS[result]}${suffix}\n`);
    },
  };
};
