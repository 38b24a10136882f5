import { describeMatrix } from './console-matrix.js';

describeMatrix('postgres');
