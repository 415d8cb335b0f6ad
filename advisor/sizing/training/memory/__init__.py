"""Memory of a training run: states, activations, logits, buffers and overhead of the fullest accelerator; host memory."""
