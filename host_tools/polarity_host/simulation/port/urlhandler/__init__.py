"""pyserial URL handlers of this project: `sim://` opens a simulated mat as a port."""
