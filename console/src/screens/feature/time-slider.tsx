import { useLayoutEffect, useRef } from 'react';
import { Label, Slider, SliderThumb, SliderTrack } from 'react-aria-components';
import { stepOf, type TimeRange } from './time-range.js';

const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' });

type Props = {
  range: TimeRange;
  /** Null for now. */
  time: number | null;
  onChange: (time: number | null) => void;
};

/** From the creation of a feature to now. */
export const TimeSlider = ({ range, time, onChange }: Props) => {
  const input = useRef<HTMLInputElement>(null);
  const step = stepOf(range);
  // Ends at a step, so that the last one is now.
  const steps = Math.max(1, Math.ceil((range.to - range.from) / step));
  const stepAt = (value: number) => Math.round((value - range.from) / step);
  const timeAt = (value: number): number => Math.min(range.to, range.from + value * step);
  const text = time === null ? 'Now' : DATE_TIME.format(new Date(time));

  // React Aria announces the number of the step.
  useLayoutEffect(() => input.current?.setAttribute('aria-valuetext', text));

  return (
    <Slider
      className="time-slider"
      minValue={0}
      maxValue={steps}
      step={1}
      value={time === null ? steps : Math.min(steps, Math.max(0, stepAt(time)))}
      onChange={(value) => onChange(value === steps ? null : timeAt(value))}
    >
      <Label className="hidden">Show the feature as it stood at</Label>
      <SliderTrack className="time-track">
        <SliderThumb className="time-thumb" inputRef={input} />
      </SliderTrack>
    </Slider>
  );
};
